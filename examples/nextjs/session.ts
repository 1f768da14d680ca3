/** Who is signed in. YOUR SESSION HERE. */

/**
 * Returns the id of the signed-in user, or undefined. This stand-in believes a header, so anybody can be anybody: read your
 * session instead, before others can call the app.
 */
export const userOf = (request: Request): string | undefined => request.headers.get('x-demo-user') || undefined
