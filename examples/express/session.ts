/** Who is signed in. YOUR SESSION HERE. */
import type { Request } from 'express'

/**
 * Returns the id of the signed-in user, or undefined. This stand-in believes a header, so anybody can be anybody: read your
 * session instead, before others can call the app.
 */
export const userOf = (request: Pick<Request, 'get'>): string | undefined => request.get('x-demo-user') || undefined
