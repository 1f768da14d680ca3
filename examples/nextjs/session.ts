/** Who is signed in. YOUR SESSION HERE. */

/**
 * Returns the id of the signed-in user, or undefined. This stand-in believes a header, or a cookie in a browser, so anybody can be
 * anybody: read your session instead, before others can call the app.
 */
export function userOf(request: Request): string | undefined {
  const [, cookie = ''] = /(?:^|; )demo-user=([^;]+)/.exec(request.headers.get('cookie') ?? '') ?? []
  return request.headers.get('x-demo-user') || decoded(cookie) || undefined
}

/** A cookie that cannot be decoded names nobody. */
function decoded(cookie: string): string {
  try {
    return decodeURIComponent(cookie)
  } catch {
    return ''
  }
}
