/**
 * The account of a person at a provider, as far as its claims can be relied on, and the role that the rules of a
 * workspace give it.
 */
import { foldedAddress } from '#contract/core/addresses.ts'
import { EMAIL_PATTERN } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { OperatorRole } from '#contract/workspace/operator-roles.ts'
import type { SsoRoleRule } from '#contract/workspace/sso-config.ts'

export interface Account {
  /** Identifies the account at its issuer, always. */
  subject: string
  /** Undefined unless the provider says that it has verified the address. */
  email: string | undefined
  /** The address if the provider does not say that it is verified. */
  unverifiedEmail?: string
  name: string | undefined
  groups: readonly string[]
}

/** The standard allows no longer subjects (OpenID Connect Core, section 2). */
const SUBJECT_CHARACTERS_MAX = 255

/** Whether a subject identifies one account: the database stores no NUL, and the same in place of each half of a character. */
export const isSubject = (subject: string): boolean =>
  subject !== '' && subject.length <= SUBJECT_CHARACTERS_MAX && subject.isWellFormed() && !subject.includes('\0')

type Claims = Readonly<Record<string, unknown>> & { sub?: unknown }

/** Merges the claims of an ID token with the claims of the user info. The signed claims take precedence. */
export function accountOf(signed: Claims & { sub: string }, more: Claims): Account {
  const { name, groups } = { ...more, ...signed }
  // An address and whether it is verified must come from the same place.
  const { email, email_verified: isVerified } = 'email' in signed ? signed : more
  return {
    subject: signed.sub,
    email: isVerified === true && isAddress(email) ? email : undefined,
    ...(isVerified !== true && isAddress(email) && { unverifiedEmail: email }),
    name: typeof name === 'string' && name !== '' ? nameOf(name) : undefined,
    groups: (Array.isArray(groups) ? groups : [groups]).filter((group) => typeof group === 'string'),
  }
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= LIMITS.emailCharactersMax &&
  value.isWellFormed() &&
  new RegExp(EMAIL_PATTERN).test(value)

/** The database stores neither NUL nor half of a character. */
const nameOf = (text: string): string =>
  text.slice(0, LIMITS.nameCharactersMax).toWellFormed().replaceAll('\0', '\ufffd')

/** Returns the index of the first rule that matches; -1 if none does. */
export function ruleFor(rules: readonly SsoRoleRule[], { email, groups }: Account): number {
  const domain = email && foldedAddress(email.slice(email.lastIndexOf('@') + 1))
  return rules.findIndex(({ group, emailDomain }) =>
    group === undefined ? emailDomain === domain : groups.includes(group),
  )
}

/** Returns the role that the first matching rule gives; undefined if none matches. */
export const roleFor = (rules: readonly SsoRoleRule[], account: Account): OperatorRole | undefined =>
  rules[ruleFor(rules, account)]?.role
