/** For somebody who has no workspace yet: the commands that make one, as they are for this server. */
import { Anchor, Code, Collapse, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useId } from 'react'
import { Copy } from '../components/id.tsx'
import classes from './sign-in-view.module.css'

export function FirstWorkspace() {
  const [opened, { toggle }] = useDisclosure()
  const id = useId()
  const { origin } = location
  return (
    <div>
      <Anchor component="button" type="button" size="sm" aria-expanded={opened} aria-controls={id} onClick={toggle}>
        No workspace yet?
      </Anchor>
      <Collapse expanded={opened} id={id}>
        <Stack gap="xs" pt="xs">
          <Text size="sm">
            Make one in a terminal on the machine of the server. The <Code>id</Code> and the <Code>authToken</Code> that
            it answers with are what you sign in with here.
          </Text>
          <Command label="Create a workspace">
            {`curl -s ${origin}/v2/workspace/create -H 'content-type: application/json' -d '{"data": {"ownerEmail": "you@example.com"}}'`}
          </Command>
          <Text size="sm">
            Or have one filled with a made-up company to look around in, from the folder of the source. It prints how to
            sign in:
          </Text>
          <Command label="Fill a workspace">{`npm run demo -- --url ${origin}`}</Command>
          <Text size="xs" c="dimmed">
            Whether anybody may make one is the operator's decision: the setting <Code>SIGNUP</Code>.
          </Text>
        </Stack>
      </Collapse>
    </div>
  )
}

function Command({ label, children }: { label: string; children: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="start">
      <Code block flex={1} miw={0} className={classes.command} role="region" aria-label={label}>
        {children}
      </Code>
      <Copy value={children} label={`Copy: ${label}`} />
    </Group>
  )
}
