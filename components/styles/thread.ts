/** The look of threads. */
import { css } from 'lit'

export const threadStyles = css`
  :host {
    display: block;
  }
  article {
    padding: 10px 12px;
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_surface);
  }
  :host([active]) article {
    border-color: var(--_accent);
    box-shadow: inset 3px 0 0 var(--_accent);
  }
  :host([active]:dir(rtl)) article {
    box-shadow: inset -3px 0 0 var(--_accent);
  }
  blockquote {
    margin-block-end: 4px;
    padding-inline-start: 8px;
    border-inline-start: 3px solid var(--commonhold-highlight, rgb(255 176 0 / 0.8));
    color: var(--_muted);
    font-size: 0.875rem;
    unicode-bidi: isolate;
  }
  .show {
    padding-inline: 0;
  }
  li + li {
    margin-block-start: 10px;
  }
  ol {
    margin-block: 4px 8px;
  }
  .name {
    font-weight: 600;
  }
  .text {
    white-space: pre-wrap;
    unicode-bidi: isolate;
  }
  .mention {
    color: var(--_accent);
    font-weight: 500;
  }
  a {
    color: var(--_accent);
  }
  .own button {
    min-block-size: 24px;
    padding-inline: 0 8px;
    font-size: 0.8125rem;
  }
  .files {
    margin: 4px 0;
    padding-inline-start: 1.2em;
  }
`
