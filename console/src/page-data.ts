/** Values that the server writes into the page. */
const meta = (selector: string) => document.querySelector<HTMLMetaElement>(selector)

/** The prefix of the server's header names: `x-<prefix>-api-key`. */
export const HEADER_PREFIX = meta('meta[name=header-prefix]')?.content ?? 'service'

/** The browser accepts styles that are added later only with this nonce. */
export const STYLE_NONCE = meta('meta[property=csp-nonce]')?.nonce ?? ''

/** Whether the server sends links to sign in. */
export const SENDS_LOGIN_LINKS = meta('meta[name=login-links]')?.content === 'true'

/** Whether an address gets only the question whether it wants mail, until it is confirmed. */
export const CONFIRMS_ADDRESSES = meta('meta[name=confirms-addresses]')?.content === 'true'

/** Whether the server sends mails of its own, such as invitations of operators and weekly findings. */
export const SENDS_MAIL = meta('meta[name=sends-mail]')?.content === 'true'

/** Who may create workspaces here: everybody (`open`), callers with the sign-up token (`token`) or nobody (`closed`). */
export const SIGNUP = meta('meta[name=signup]')?.content ?? 'token'

/** The part of a link after its `#`, which browsers send to no server. */
const secrets = new URLSearchParams(location.hash.slice(1))

/** The sign-up token of the link that the server prints at its start. It stays neither in the address nor in the history. */
export const SIGNUP_TOKEN = secrets.get('signup') ?? undefined
/** The secret of a link to sign in that was sent by mail, read in the same way. */
export const LOGIN_LINK = secrets.get('link') ?? undefined
/** The secret of the link that the server prints at its start on one's own machine, read in the same way. */
export const FIRST_VISIT = secrets.get('welcome') ?? undefined

const hasSecret = (parameters: URLSearchParams): boolean =>
  ['signup', 'link', 'welcome'].some((name) => parameters.has(name))
if (hasSecret(secrets)) history.replaceState(history.state, '', location.pathname + location.search)

// The address of an open page that is replaced by such a link changes only after its `#`, for which browsers load nothing.
addEventListener('hashchange', () => {
  if (hasSecret(new URLSearchParams(location.hash.slice(1)))) location.reload()
})

/** The domain or workspace in the link that colleagues hand on. */
export const COMPANY = /^\/console\/sign-in\/([\w.-]+)\/?$/.exec(location.pathname)?.[1]

const PLACE = 'commonhold-place'

/** Remembers where the person is who leaves for a sign-in provider, which sends them back to the start page. */
export const rememberPlace = () => sessionStorage.setItem(PLACE, location.pathname + location.search)

const place = sessionStorage.getItem(PLACE)
if (place?.startsWith('/console/') && location.pathname === '/console/') {
  sessionStorage.removeItem(PLACE)
  history.replaceState(history.state, '', place)
}

// The scroll lock of dialogs reads the nonce from this global.
Object.assign(globalThis, { __webpack_nonce__: STYLE_NONCE })
