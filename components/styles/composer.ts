/** The look of where comments are written. */
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
  [role='listbox'] {
    max-block-size: 16rem;
    margin-block-end: 6px;
    overflow: auto;
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 0.75);
    background: var(--_surface);
  }
  [role='option'] {
    padding: 4px 8px;
    cursor: pointer;
  }
  [role='option'][aria-selected='true'] {
    background: var(--_raised);
    outline: 1px solid var(--_accent);
    outline-offset: -1px;
  }
`
