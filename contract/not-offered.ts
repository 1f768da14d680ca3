/**
 * Paths of comparable hosted services that Commonhold does not offer, each with the reason and what to do instead. They
 * are UNIMPLEMENTED, not unknown: a client that calls one learns that the path is right and the feature is missing.
 */
const IN_THE_BROWSER =
  'Commonhold manages access, and carries nothing between the people who edit; use a service for that.'
const ASSISTANTS = 'Commonhold runs no assistants and no language models; call a provider of language models.'

interface Family {
  why: string
  /** How many calls of the family are documented by the hosted original, where that is known. */
  calls?: number
}

/** Everything under one of these paths. */
export const FAMILIES_NOT_OFFERED: Readonly<Record<string, Family>> = {
  '/v2/presence': { why: IN_THE_BROWSER },
  '/v2/livestate': { why: IN_THE_BROWSER },
  '/v2/crdt': { why: IN_THE_BROWSER },
  '/v2/recordings': { why: 'Commonhold records no sound, video or screens; use a service for that.' },
  '/v2/rewriter': { why: ASSISTANTS },
  '/v2/agents': { why: ASSISTANTS },
  '/v2/memory': { why: ASSISTANTS },
  '/v2/workflow': { why: 'Commonhold runs no workflows; start yours from webhooks.' },
}

/** Returns why a path is not offered, and what to do instead; undefined for any other path. */
export const whyNotOffered = (path: string): string | undefined =>
  Object.entries(FAMILIES_NOT_OFFERED).find(([family]) => path.startsWith(`${family}/`))?.[1].why
