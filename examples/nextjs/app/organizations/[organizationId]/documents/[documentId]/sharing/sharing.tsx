/** The buttons that open Share and Who has access. */
'use client'
import { configure } from '@commonhold/comments'
import type {} from '@commonhold/comments/react'
import { useEffect, useState } from 'react'

interface SharingProps {
  /** The address of Commonhold as browsers reach it. */
  url: string
  organizationId: string
  documentId: string
}

/** Fetches a user token; the elements do so again when it has expired. */
async function token(): Promise<string> {
  const response = await fetch('/commonhold-token', { method: 'POST' })
  if (!response.ok) throw new Error(`no token: ${response.status}`)
  return response.text()
}

export function Sharing({ url, organizationId, documentId }: SharingProps) {
  const [changes, setChanges] = useState(0)
  const [isInBrowser, setIsInBrowser] = useState(false)
  // React adds listeners only to elements that it creates in the browser.
  useEffect(() => {
    configure({ url, token })
    setIsInBrowser(true)
  }, [url])
  if (!isInBrowser) return null
  return (
    <p>
      <commonhold-share
        organizationId={organizationId}
        documentId={documentId}
        oncommonhold-shared={({ detail }) => setChanges((count) => count + detail.changes.length)}
      />{' '}
      <commonhold-access organizationId={organizationId} documentId={documentId} />
      {changes > 0 && <output> {changes} changed</output>}
    </p>
  )
}
