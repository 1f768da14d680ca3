/** A user token for whoever is signed in, with which the page calls Commonhold as that user alone. */
import { userOf } from '../../session.ts'
import { commonhold } from '../../with-access.ts'

export async function POST(request: Request): Promise<Response> {
  const userId = userOf(request)
  if (userId === undefined) return new Response(null, { status: 401 })
  try {
    const { token } = await commonhold().userTokens.generate({ userId })
    return new Response(token, { headers: { 'cache-control': 'no-store' } })
  } catch (error) {
    console.error(error)
    return new Response(null, { status: 503 })
  }
}
