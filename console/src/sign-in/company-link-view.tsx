/**
 * What the link for colleagues opens: one button to the provider of their company. It is pressed by a person, because another
 * site that led straight to the provider could sign somebody in to a workspace that is not theirs.
 */
import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { ColorSchemeSwitch } from '../components/page/color-scheme-switch.tsx'
import { Logo } from '../components/page/logo.tsx'
import { openProvider } from './company-sign-in.tsx'
import classes from './sign-in-view.module.css'

/** `place` is a domain or the id of a workspace. */
export function CompanyLinkView({ place }: { place: string }) {
  const isDomain = place.includes('.')
  return (
    <main className={classes.page}>
      <Paper className={classes.card} withBorder p="xl" radius="lg">
        <Stack gap="md">
          <Group justify="space-between">
            <Logo />
            <ColorSchemeSwitch />
          </Group>
          <Title order={1} size="h3">
            Sign in with your company
          </Title>
          <Text size="sm">
            {isDomain ? (
              <>
                Sign in to the console with your account at <bdi>{place}</bdi>.
              </>
            ) : (
              'Sign in to the console with the account that your company has given you.'
            )}
          </Text>
          <Button onClick={() => openProvider(isDomain ? { domain: place } : { workspace: place })}>
            Continue to your company
          </Button>
          <Anchor size="sm" href="/console/">
            Sign in another way
          </Anchor>
        </Stack>
      </Paper>
    </main>
  )
}
