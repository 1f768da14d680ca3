/** The look of the composer. */
import { css } from 'lit'

export const composerStyles = css`
  :host {
    display: block;
  }
  form {
    position: relative;
  }
  textarea {
    display: block;
    inline-size: 100%;
    margin-block-end: 6px;
    padding: 6px 8px;
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 0.75);
    background: var(--_surface);
    resize: vertical;
  }
  textarea::placeholder {
    color: var(--_muted);
    opacity: 1;
  }
`
