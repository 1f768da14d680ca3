/** Signs anybody in as anybody, and leads to the page about sharing. YOUR SIGN-IN HERE. */
export async function GET(_request: Request, { params }: { params: Promise<{ userId: string }> }): Promise<Response> {
  const { userId } = await params
  const headers = {
    location: '/organizations/acme/documents/roadmap/sharing',
    'set-cookie': `demo-user=${encodeURIComponent(userId)}; Path=/; HttpOnly; SameSite=Lax`,
  }
  return new Response(null, { status: 303, headers })
}
