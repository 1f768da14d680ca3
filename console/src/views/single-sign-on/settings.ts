/** The settings of single sign-on in the words of the form. */
import { CommonholdError, renamed } from '#sdk/errors.ts'
import type { SsoProblem } from '#sdk/generated/operations.ts'

export const SETTINGS: Readonly<Record<SsoProblem['setting'], string>> = {
  issuer: 'Issuer URL',
  clientId: 'Client id',
  clientSecret: 'Client secret',
  redirectUri: 'Redirect URI',
  roles: 'Rules for roles',
  domains: 'Domains',
  provider: 'At the provider',
  server: 'This server',
}

const inForm = (text: string): string =>
  text
    .replaceAll(/\broles\[(\d+)\](?:\.\w+)?/g, (_, index) => `rule ${Number(index) + 1}`)
    .replaceAll(/\b(?:issuer(?! URL)|clientId|clientSecret|emailDomain)\b/g, (field) =>
      field === 'emailDomain' ? 'e-mail domain' : SETTINGS[field as SsoProblem['setting']],
    )

/** Returns the error of a call with the labels of the form in place of the names of fields. */
export const inWordsOfForm = (error: Error | null): Error | null =>
  error instanceof CommonholdError ? renamed(error, error.faults, inForm) : error
