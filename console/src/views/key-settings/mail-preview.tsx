/** Previews a mail about comments with the saved settings. */
import { NativeSelect, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Failure } from '../../components/feedback/failure.tsx'
import { Section } from '../../components/page/section.tsx'
import { STYLE_NONCE } from '../../page-data.ts'
import { emailPreviewQuery } from '../../queries/keys/key-settings.ts'
import { useKey } from '../../session/use-session.ts'
import classes from './mail-preview.module.css'

/** The page's policy applies to the mail: its style sheet needs the nonce. */
const withStyles = (html: string): string => html.replace('<style>', `<style nonce="${STYLE_NONCE}">`)

export function MailPreview() {
  const [kind, setKind] = useState<'mention' | 'reply'>('mention')
  const [format, setFormat] = useState<'html' | 'text'>('html')
  const { data, error } = useQuery(emailPreviewQuery(useKey(), { kind }))
  return (
    <Section
      title="Preview"
      intro="A mail about a comment with the saved settings, as the server writes it. Nothing is sent."
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="Because of"
          value={kind}
          data={[
            { value: 'mention', label: 'A mention' },
            { value: 'reply', label: 'A reply' },
          ]}
          onChange={({ currentTarget }) => setKind(currentTarget.value === 'reply' ? 'reply' : 'mention')}
        />
        <SegmentedControl
          aria-label="Format"
          style={{ alignSelf: 'end' }}
          value={format}
          data={[
            { value: 'html', label: 'HTML' },
            { value: 'text', label: 'Text' },
          ]}
          onChange={(value) => setFormat(value === 'text' ? 'text' : 'html')}
        />
      </SimpleGrid>
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Skeleton height={320} />}
      {data !== undefined && (
        <Stack gap="xs">
          {data.templateId !== '' && (
            <Text size="sm">
              Your provider makes this mail from its template <bdi>{data.templateId}</bdi>; below is the text without
              one.
            </Text>
          )}
          <Text size="sm">
            From <bdi>{data.sender}</bdi>: <bdi>{data.subject}</bdi>
          </Text>
          {format === 'html' ? (
            // Without any permission: it runs no scripts, sends no forms and opens nothing.
            <iframe className={classes.mail} title="Mail as HTML" sandbox="" srcDoc={withStyles(data.html)} />
          ) : (
            <pre className={classes.text}>{data.text}</pre>
          )}
        </Stack>
      )}
    </Section>
  )
}
