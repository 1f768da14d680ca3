/**
 * The page that the link for colleagues opens: one button to the provider of their company. A person must press it: if
 * the link led straight to the provider, another site could sign somebody in to a workspace that is not theirs.
 */
import { Anchor, Button, Text } from '@mantine/core'
import { openProvider } from './company-sign-in.tsx'
import { SignInCard } from './sign-in-card.tsx'

/** `place` is a domain or the id of a workspace. */
export function CompanyLinkView({ place }: { place: string }) {
  const isDomain = place.includes('.')
  return (
    <SignInCard title="Sign in with your company">
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
    </SignInCard>
  )
}
