/** The base of the elements that a page places: their options, their connection, their texts, and how they follow changes. */
import { LitElement, type PropertyDeclarations } from 'lit'
import { Connection, claimsOf } from '../connection/connection.ts'
import { type Follower, followLive } from '../connection/live.ts'
import { type Options, onConfigured, sharedOptions } from '../connection/options.ts'
import { type OtherTexts, type Say, speaker } from '../words/texts.ts'

/** Calls `look` every `seconds`, and when the page is visible or connected again. Returns a function that stops it. */
function follow(look: () => void, seconds: number): () => void {
  const lookIfVisible = () => {
    if (document.visibilityState === 'visible') look()
  }
  const timer = setInterval(lookIfVisible, Math.max(1, seconds) * 1_000)
  document.addEventListener('visibilitychange', lookIfVisible)
  window.addEventListener('online', lookIfVisible)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', lookIfVisible)
    window.removeEventListener('online', lookIfVisible)
  }
}

const POLL_SECONDS = 15

export abstract class ConnectedElement extends LitElement {
  static override properties: PropertyDeclarations = {
    url: {},
    token: {},
    organizationId: { attribute: 'organization-id' },
    people: { attribute: false },
    texts: { type: Object },
    pollSeconds: { attribute: 'poll-seconds', type: Number },
  }
  declare url: string | undefined
  declare token: Options['token']
  declare organizationId: string | undefined
  declare people: Options['people']
  declare texts: OtherTexts | undefined
  declare pollSeconds: number | undefined

  protected connection: Connection | undefined
  #connectedAs: string | undefined
  /** The token with which the connection began: elements with the same one share a stream. */
  #firstToken: Options['token']
  #saying: { words: string; say: Say } | undefined
  #leave = () => {}
  #stopFollowing = () => {}

  /** Called when there is another server, user, organization or document; with undefined when something of it is missing. */
  protected abstract start(connection: Connection | undefined): void
  /** The follower of the live stream; undefined while something is missing. */
  protected abstract readonly follower: Follower | undefined
  /** Shows the same again, later: times have passed. Reads again what could not be read. */
  protected abstract showAgain(): void
  /** Reads the shown data again. */
  abstract refresh(): Promise<void>

  /** Looks for changes, from time to time. */
  protected poll(): void {
    void this.refresh()
  }

  protected get options(): Options {
    const common = sharedOptions()
    return {
      ...common,
      ...(this.url !== undefined && { url: this.url }),
      ...(this.token !== undefined && { token: this.token }),
      ...(this.people !== undefined && { people: this.people }),
      ...(this.pollSeconds !== undefined && { pollSeconds: this.pollSeconds }),
      texts: { ...common.texts, ...this.texts } as OtherTexts,
    }
  }

  /** The language of the element, as it or an element around it says. */
  protected get locale(): string {
    const stated = this.closest<HTMLElement>('[lang]')?.lang || navigator.language
    try {
      return Intl.getCanonicalLocales(stated)[0] ?? 'en'
    } catch {
      return 'en'
    }
  }

  /** Says the texts of the element: the same function until they change, so that parts need not be shown again. */
  protected get say(): Say {
    const { texts } = this.options
    const words = `${this.locale} ${JSON.stringify(texts)}`
    if (this.#saying?.words !== words) this.#saying = { words, say: speaker(texts, this.locale) }
    return this.#saying.say
  }

  /** Each name of several words is read as one word too: React writes the names of properties, and HTML does not keep their case. */
  static override get observedAttributes(): string[] {
    // biome-ignore lint/complexity/noThisInStatic: Lit's getter reads the properties of the class that it is called on
    const names = super.observedAttributes
    return [...names, ...names.filter((name) => name.includes('-')).map(asOneWord)]
  }

  override attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    const { observedAttributes } = this.constructor as typeof ConnectedElement
    const known = observedAttributes.find((one) => asOneWord(one) === name) ?? name
    // The other spelling may still be there when one is removed.
    const present = after ?? this.getAttribute(known) ?? this.getAttribute(asOneWord(known))
    super.attributeChangedCallback(known, before, present)
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#connectedAs = undefined
    this.#leave = onConfigured(() => this.requestUpdate())
    this.requestUpdate()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#leave()
    this.#stopFollowing()
  }

  /**
   * What the connection depends on, as one text. Another function for the token, or another token of the same user, is no
   * reason to start again: React creates a function whenever it renders, and what somebody is writing must stay.
   */
  protected identity(): string {
    const { url, token, pollSeconds } = this.options
    const user = typeof token === 'string' ? (claimsOf(token)?.userId ?? token) : typeof token
    return JSON.stringify([url, typeof token, user, pollSeconds, this.organizationId])
  }

  /** Starts again for another user, without anything of the one before. */
  protected readonly becomeOther: (() => void) | undefined = () => {
    this.#connectedAs = undefined
    this.requestUpdate()
  }

  /** Looks for changes again and again, unless they arrive by themselves. */
  #follow(connection: Connection, pollSeconds: number): void {
    const { organizationId, follower } = this
    const { url } = this.options
    const token = this.#firstToken
    const identity = JSON.stringify([url, typeof token === 'string' ? token : idOf(token), pollSeconds, organizationId])
    const live = organizationId && follower ? followLive(connection, { identity, organizationId }, follower) : undefined
    const stop = follow(() => (live?.isOpen() ? this.showAgain() : this.poll()), pollSeconds)
    this.#stopFollowing = () => {
      stop()
      live?.stop()
    }
  }

  protected override willUpdate(): void {
    const identity = this.identity()
    const { url, token, pollSeconds = POLL_SECONDS } = this.options
    if (!this.isConnected) return
    if (identity === this.#connectedAs) {
      this.connection?.fetchTokenFrom(token)
      return
    }
    this.#connectedAs = identity
    this.#firstToken = token
    this.#stopFollowing()
    const isKnown = url !== undefined && token !== undefined
    this.connection = isKnown ? new Connection({ url, token }, this.becomeOther) : undefined
    this.start(this.connection)
    if (this.connection !== undefined) this.#follow(this.connection, pollSeconds)
  }
}

const asOneWord = (name: string): string => name.replaceAll('-', '')

const ids = new WeakMap<object, number>()
let last = 0

/** Returns a number for a function: another one for another function. */
function idOf(value: object | undefined): number {
  if (value === undefined) return 0
  if (!ids.has(value)) ids.set(value, ++last)
  return ids.get(value) ?? 0
}
