/** Parses large JSON in steps. `JSON.parse` would hold the event loop for up to half a second, depending on the content. */
import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import { isChanged } from '#contract/validation/numbers.ts'
import type { Steps } from '#contract/validation/steps.ts'
import { unstorable } from '#contract/validation/storable.ts'

const CHUNK_BYTES = 16 * 1024

export interface LargeJson {
  value: unknown
  /** Whether it has a text or number that cannot be stored as it is. */
  isUnstorable: boolean
}

/** Parses JSON in UTF-8, as `parseMarked` would. Throws if it is not valid, or has a key that Fastify's parser refuses. */
export function* parseSteps(json: Uint8Array): Steps<LargeJson> {
  const tokenizer = newTokenizer()
  const parser = new TokenParser({ paths: ['$'] })
  const keys = new KeyGuard()
  const result: LargeJson = { value: undefined, isUnstorable: false }
  parser.onValue = ({ value }) => {
    result.value = value
  }
  tokenizer.onToken = (token) => {
    keys.see(token)
    if (unstorable(token.value) !== undefined) result.isUnstorable = true
    parser.write(token)
  }
  for (let at = 0; at < json.length; at += CHUNK_BYTES) {
    tokenizer.write(json.subarray(at, at + CHUNK_BYTES))
    yield
  }
  tokenizer.end()
  if (!parser.isEnded) throw new Error('it ends too early')
  return result
}

/** The decoder of the library drops U+FEFF wherever a run of text begins with it, which would make one id of two. */
function newTokenizer(): Tokenizer {
  const tokenizer = new Tokenizer()
  const { bufferedString } = tokenizer as unknown as { bufferedString: { decoder: TextDecoder } }
  bufferedString.decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const numbers = tokenizer as unknown as { parseNumber(text: string): number | bigint }
  numbers.parseNumber = (text) => (isChanged(text) ? BigInt(Math.sign(Number(text))) : Number(text))
  return tokenizer
}

export class ForbiddenKey extends Error {}
/** An object has a name twice, which is the message. */
export class RepeatedName extends Error {}

/**
 * Refuses `__proto__`, and `prototype` in the object of a `constructor`: code that copies such objects can be made to change
 * others. Also refuses names that an object has twice.
 */
class KeyGuard {
  #depth = 0
  #text: unknown
  /** The depths of the `constructor` keys whose values are being read. */
  readonly #constructors: number[] = []
  /** The names of each open object; undefined for a list. */
  readonly #open: (Set<string> | undefined)[] = []

  see({ token, value }: { token: TokenType; value: unknown }): void {
    if (token === TokenType.STRING) this.#text = value
    else if (token === TokenType.COLON) this.#seeKey(this.#text)
    else if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.#enter(token)
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) {
      this.#open.pop()
      this.#leave(--this.#depth + 1)
    }
  }

  #enter(token: TokenType): void {
    this.#depth++
    this.#open.push(token === TokenType.LEFT_BRACE ? new Set() : undefined)
  }

  #seeKey(key: unknown): void {
    this.#leave(this.#depth)
    if (key === '__proto__' || (key === 'prototype' && this.#constructors.at(-1) === this.#depth - 1))
      throw new ForbiddenKey()
    const names = this.#open.at(-1)
    if (names?.has(String(key))) throw new RepeatedName(String(key))
    names?.add(String(key))
    if (key === 'constructor') this.#constructors.push(this.#depth)
  }

  /** Forgets the keys at `depth`: their values have ended. */
  #leave(depth: number): void {
    while ((this.#constructors.at(-1) ?? -1) >= depth) this.#constructors.pop()
  }
}
