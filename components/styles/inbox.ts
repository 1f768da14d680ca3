/** The look of the inbox. */
import { css } from 'lit'

export const inboxStyles = css`
  :host {
    display: inline-block;
  }
  #bell {
    position: relative;
    min-inline-size: 36px;
    min-block-size: 36px;
    padding: 6px;
  }
  svg {
    display: block;
    inline-size: 20px;
    block-size: 20px;
    margin: auto;
  }
  [part='count'] {
    position: absolute;
    inset-block-start: -6px;
    inset-inline-end: -6px;
    min-inline-size: 18px;
    padding: 0 5px;
    border-radius: 9px;
    background: var(--_danger);
    color: var(--_on-danger);
    font-size: 0.75rem;
    line-height: 18px;
    text-align: center;
  }
  #panel {
    position: fixed;
    inset: auto;
    inline-size: min(380px, calc(100vw - 12px));
    margin: 0;
    padding: 12px;
    overflow: auto;
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_surface);
    color: inherit;
    box-shadow: 0 8px 28px rgb(0 0 0 / 0.25);
  }
  .top {
    justify-content: space-between;
  }
  h2 {
    font-size: 1.0625rem;
  }
  li {
    padding-block: 8px;
  }
  li + li {
    border-block-start: 1px solid var(--_border);
  }
  .item {
    display: grid;
    inline-size: 100%;
    padding: 0;
    border: 0;
    background: none;
    color: inherit;
    text-align: start;
    text-decoration: none;
  }
  .item:hover .headline {
    text-decoration: underline;
  }
  .headline {
    font-weight: 600;
  }
  .body {
    color: var(--_muted);
    unicode-bidi: isolate;
  }
  .dot {
    display: inline-block;
    inline-size: 8px;
    block-size: 8px;
    margin-inline-end: 4px;
    border-radius: 50%;
    background: var(--_accent);
  }
`
