/** The common look of all elements, with colours for light and dark, which custom properties of the page can replace. */
import { css } from 'lit'

export const shared = css`
  :host {
    --_text: var(--commonhold-text, light-dark(#1b1d22, #e9eaee));
    --_muted: var(--commonhold-muted, light-dark(#565c69, #aab0bc));
    --_surface: var(--commonhold-surface, light-dark(#ffffff, #1d1f24));
    --_ground: var(--commonhold-ground, light-dark(#f7f8fa, #15171b));
    --_raised: var(--commonhold-raised, light-dark(#f4f5f7, #292c33));
    --_border: var(--commonhold-border, light-dark(#c9cdd6, #454a55));
    --_accent: var(--commonhold-accent, light-dark(#3547c9, #aab6ff));
    --_on-accent: var(--commonhold-on-accent, light-dark(#ffffff, #14161c));
    --_danger: var(--commonhold-danger, light-dark(#b3261e, #ffb4ab));
    --_on-danger: var(--commonhold-on-danger, light-dark(#ffffff, #3a0906));
    --_radius: var(--commonhold-radius, 8px);
    color: var(--_text);
    font: var(--commonhold-font, 0.9375rem / 1.45 system-ui, sans-serif);
    overflow-wrap: anywhere;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  * {
    box-sizing: border-box;
  }
  button,
  textarea,
  select {
    font: inherit;
    color: inherit;
  }
  button {
    min-block-size: 28px;
    padding: 2px 10px;
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 0.75);
    background: var(--_surface);
    cursor: pointer;
  }
  button:hover {
    background: var(--_raised);
  }
  button.main {
    border-color: var(--_accent);
    background: var(--_accent);
    color: var(--_on-accent);
  }
  button.plain {
    border-color: transparent;
    background: none;
    color: var(--_muted);
  }
  button.plain:hover {
    color: var(--_text);
    text-decoration: underline;
  }
  button[aria-disabled='true'] {
    opacity: 0.65;
    cursor: default;
  }
  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
    align-items: center;
  }
  .muted,
  time {
    color: var(--_muted);
    font-size: 0.8125rem;
  }
  .error {
    margin-block: 8px;
    color: var(--_danger);
  }
  .hidden {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  h2,
  p,
  ol,
  blockquote {
    margin: 0;
    padding: 0;
  }
  ol {
    list-style: none;
  }
`

/** The colour scheme of elements that a page places: that of the page, unless `scheme` names another. */
export const scheme = css`
  :host {
    display: block;
  }
  :host([scheme='light']) {
    color-scheme: light;
  }
  :host([scheme='dark']) {
    color-scheme: dark;
  }
  :host([scheme='auto']) {
    color-scheme: light dark;
  }
`
