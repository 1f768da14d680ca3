/** The look of the list of threads. */
import { css } from 'lit'

export const commentsStyles = css`
  section {
    display: grid;
    gap: 10px;
    justify-items: start;
    padding: 12px;
    border-radius: var(--_radius);
    background: var(--_ground);
  }
  section > * {
    inline-size: 100%;
  }
  section > button {
    inline-size: auto;
  }
  .top {
    justify-content: space-between;
  }
  h2 {
    font-size: 1.0625rem;
  }
  ol {
    display: grid;
    gap: 10px;
  }
  select {
    padding: 2px 6px;
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 0.75);
    background: var(--_surface);
  }
  blockquote {
    max-block-size: 6em;
    margin-block-end: 6px;
    padding-inline-start: 8px;
    overflow: auto;
    border-inline-start: 3px solid var(--commonhold-highlight, rgb(255 176 0 / 0.8));
    color: var(--_muted);
    unicode-bidi: isolate;
  }
  .selection {
    position: fixed;
    z-index: var(--commonhold-z-index, 1000);
    box-shadow: 0 2px 8px rgb(0 0 0 / 0.25);
  }
`
