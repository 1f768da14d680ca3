/** Says in words why an endpoint gave no response. The codes are those of the server and of Node. */
import type { WebhookAttempt } from '#sdk/generated/operations.ts'

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  UND_ERR_SOCKET: 'connection lost',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  ETIMEDOUT: 'timed out',
  UND_ERR_CONNECT_TIMEOUT: 'timed out',
  timeout: 'timed out',
  CERT_HAS_EXPIRED: 'certificate expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong certificate',
  address_not_allowed: 'address not allowed',
  internal: 'error in this server',
}

/** Short, for a badge. Returns the code itself where there are no words for it. */
const failureWords = (code: string | null): string => (code === null ? 'no response' : (WORDS[code] ?? code))

/** The outcome of an attempt as a mark and a status or words. */
export const outcomeOf = ({ success, httpStatus, error }: WebhookAttempt): string =>
  `${success ? '✓' : '✕'} ${httpStatus ?? failureWords(error)}`

/** Says why an attempt failed, with the code, which can be searched for. */
export function failureSentence(code: string | null): string {
  if (code === null) return 'no response'
  return WORDS[code] === undefined ? `no response (${code})` : `no response: ${WORDS[code]} (${code})`
}
