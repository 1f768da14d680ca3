/** The look of the dialogs of sharing. */
import { css } from 'lit'

export const sharingStyles = css`
  :host {
    display: inline-block;
  }
  /* In a row that is too narrow it is not broken letter by letter. */
  #open {
    overflow-wrap: break-word;
  }
  dialog {
    inline-size: min(480px, calc(100vw - 24px));
    max-block-size: calc(100dvb - 24px);
    padding: 16px;
    overflow: auto;
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_surface);
    color: var(--_text);
    box-shadow: 0 8px 28px rgb(0 0 0 / 0.25);
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 0.45);
  }
  .top {
    justify-content: space-between;
    margin-block-end: 12px;
  }
  h2 {
    font-size: 1.0625rem;
  }
  h3 {
    margin: 12px 0 4px;
    font-size: 0.9375rem;
  }
  label {
    display: block;
    margin-block-end: 4px;
    font-weight: 600;
  }
  select {
    min-block-size: 32px;
    max-inline-size: 100%;
    padding: 2px 8px;
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 0.75);
    background: var(--_surface);
  }
  fieldset {
    min-inline-size: 0;
    margin: 0;
    padding: 0;
    border: none;
  }
  .fields {
    display: flex;
    flex-wrap: wrap;
    gap: 12px;
    margin-block: 12px;
  }
  ul {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .entries li {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 12px;
    align-items: center;
    justify-content: space-between;
    padding-block: 8px;
  }
  .entries li + li {
    border-block-start: 1px solid var(--_border);
  }
  .note {
    margin-block: 8px;
    padding: 8px;
    border-radius: calc(var(--_radius) * 0.75);
    background: var(--_raised);
  }
  .chosen {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
    margin-block-start: 6px;
  }
  .last {
    margin-block-start: 16px;
    justify-content: flex-end;
  }
`

export const pickerStyles = css`
  :host {
    display: block;
  }
  label {
    display: block;
    margin-block-end: 4px;
    font-weight: 600;
  }
  input {
    inline-size: 100%;
    min-block-size: 34px;
    padding: 4px 8px;
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 0.75);
    background: var(--_surface);
    color: inherit;
    font: inherit;
  }
  #hint {
    margin-block-start: 6px;
  }
`
