/**
 * Texts that this browser keeps, by name. It may have no room for them, or keep none at all: what is kept is a
 * convenience, so everything else works without it.
 */

export function keptText(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Returns whether the browser has kept the text. */
export function keepText(name: string, text: string): boolean {
  try {
    localStorage.setItem(name, text)
    return true
  } catch {
    return false
  }
}

export function forgetText(name: string): void {
  try {
    localStorage.removeItem(name)
  } catch {}
}

export function forgetTexts(prefix: string): void {
  for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) forgetText(name)
}

/** Returns a value that was kept as JSON; undefined if there is none, or no JSON. */
export function keptValue(name: string): unknown {
  try {
    return JSON.parse(keptText(name) ?? '') ?? undefined
  } catch {
    return undefined
  }
}
