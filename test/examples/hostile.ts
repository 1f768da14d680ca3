/** Hostile requests of clients to an example, and hostile responses that an example gets instead of a decision. */
import { allow, passOn, redirect, respond } from './gate.ts'

export const DOCUMENTS = '/organizations/acme/documents'

/** Ids of documents that have another meaning in paths, queries, HTML, JSON or logs, unless they are encoded. */
export const STRANGE_IDS = [
  'a b',
  'a+b',
  'ü',
  '日本',
  '100%',
  'a%2Fb',
  '?q=1#x',
  '"\'<&',
  'a;b=c',
  'a\\b',
  '👩‍🚀',
  '…',
  ':id',
  '*',
]
/** The same for ids that a server may read as several segments, or omit. */
export const STEPS = ['a/b', '.', '..', '../roadmap', '/', '//a']

/** Paths that a careless server resolves to the document `secret` while it checks another one. */
export const TRAVERSALS = [
  `${DOCUMENTS}/roadmap/../secret`,
  `${DOCUMENTS}/roadmap/%2e%2e/secret`,
  `${DOCUMENTS}/roadmap%2F..%2Fsecret`,
  `${DOCUMENTS}/roadmap%5C..%5Csecret`,
  `${DOCUMENTS}/roadmap%252F..%252Fsecret`,
  `${DOCUMENTS}/roadmap;/../secret`,
  `${DOCUMENTS}/./secret`,
  `${DOCUMENTS}//secret`,
  `/${DOCUMENTS}/secret`,
  `${DOCUMENTS}/secret/`,
  `${DOCUMENTS}/secret%00`,
  `${DOCUMENTS}/secret?documentId=roadmap&document_id=roadmap`,
  '/organizations/other/../acme/documents/secret',
  '/organizations/other%2F..%2Facme/documents/secret',
]

/** Responses that are not decisions, from a misconfigured server, a proxy or something else. */
export const NO_DECISIONS = {
  'a page': respond(200, '<h1>Welcome</h1>', { 'content-type': 'text/html' }),
  'an empty object': respond(200, '{}'),
  'a result without decisions': respond(200, '{"result":{"status":"success","message":"","data":{"checks":[]}}}'),
  'truncated JSON': respond(200, '{"result":{"status":"success","data":{"checks":[{"allowed":tr'),
  'a redirect': redirect,
  'an error with a decision': allow(500),
  'a refusal of the auth token': passOn({ 'x-service-auth-token': 'cht_wrong' }),
  'a refusal of the API key': respond(
    403,
    '{"error":{"status":"PERMISSION_DENIED","reason":"api_key_disabled","message":"The API key is disabled.","requestId":"1"}}',
  ),
  'a denial of a proxy': respond(403, 'Forbidden', { 'content-type': 'text/plain' }),
  'an error of a gateway': respond(502, 'Bad gateway', { 'content-type': 'text/plain' }),
}
