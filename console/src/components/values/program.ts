/** Says in words which program a user agent is: “Firefox on Windows”, “Command line 0.1.0 on Linux”. */

const COMMAND_LINE = /^commonhold\/(\S+)(?: \((\w+)\))?$/

/** As Node.js names them. */
const PLATFORMS: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' }

/** The first that matches counts: browsers name others too, with which they want to be compatible. */
const BROWSERS: readonly [string, RegExp][] = [
  ['Edge', /\bEdg\w*\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(HeadlessChrome|Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
]

const SYSTEMS: readonly [string, RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
]

const nameIn = (names: readonly [string, RegExp][], userAgent: string): string | undefined =>
  names.find(([, mark]) => mark.test(userAgent))?.[0]

/** `curl/8.5.0`: the first product is what its maker calls it. */
const PRODUCT = /^([A-Za-z][\w.-]*)\/([\w.-]+)/

/** Returns the product that an unknown program names first, without the rest. */
export function programOf(userAgent: string): string {
  const [, version, platform] = COMMAND_LINE.exec(userAgent) ?? []
  const [, product, productVersion] = PRODUCT.exec(userAgent) ?? []
  const unknown = product === undefined || product === 'Mozilla' ? 'Unknown program' : `${product} ${productVersion}`
  const program = version === undefined ? (nameIn(BROWSERS, userAgent) ?? unknown) : `Command line ${version}`
  const system = platform === undefined ? nameIn(SYSTEMS, userAgent) : (PLATFORMS[platform] ?? platform)
  return system === undefined ? program : `${program} on ${system}`
}
