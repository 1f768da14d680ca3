/** The elements in JSX, for React 19, which sets properties and listens to events of elements: `import '@commonhold/comments/react'`. */
import type { DetailedHTMLProps, HTMLAttributes } from 'react'
import './index.ts'
import type {
  CommentsElement,
  CommentsProperties,
  ConnectedProperties,
  InboxElement,
  OpenDetail,
  SharedDetail,
  SharingElement,
  SharingProperties,
  ThreadsDetail,
} from './elements.ts'

type ElementAttributes<Element, Properties> = DetailedHTMLProps<
  Omit<HTMLAttributes<Element>, keyof Properties>,
  Element
> &
  Properties

type SharingAttributes = ElementAttributes<SharingElement, SharingProperties> & {
  'oncommonhold-shared'?: ((event: CustomEvent<SharedDetail>) => void) | undefined
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'commonhold-comments': ElementAttributes<CommentsElement, CommentsProperties> & {
        'oncommonhold-threads'?: ((event: CustomEvent<ThreadsDetail>) => void) | undefined
      }
      'commonhold-inbox': ElementAttributes<InboxElement, ConnectedProperties> & {
        'oncommonhold-unread'?: ((event: CustomEvent<{ unread: number }>) => void) | undefined
        'oncommonhold-open'?: ((event: CustomEvent<OpenDetail>) => void) | undefined
      }
      'commonhold-share': SharingAttributes
      'commonhold-access': SharingAttributes
    }
  }
}
