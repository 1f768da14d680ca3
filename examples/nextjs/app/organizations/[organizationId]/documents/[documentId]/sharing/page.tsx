/** A page with the dialogs of sharing. Who may see and do what is decided by Commonhold, for the user of the token. */
import { Sharing } from './sharing.tsx'

/** The addresses of Commonhold are settings of the running server, not of the build. Browsers may need another one than this app. */
export const dynamic = 'force-dynamic'

type DocumentPath = { organizationId: string; documentId: string }

export default async function Page({ params }: { params: Promise<DocumentPath> }) {
  const { organizationId, documentId } = await params
  return (
    <main>
      <h1>Roadmap</h1>
      <Sharing
        url={process.env.COMMONHOLD_PUBLIC_URL ?? process.env.COMMONHOLD_URL ?? ''}
        organizationId={decodeURIComponent(organizationId)}
        documentId={decodeURIComponent(documentId)}
      />
    </main>
  )
}
