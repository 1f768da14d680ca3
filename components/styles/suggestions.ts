/** The look of a list of options below a field. */
import { css } from 'lit'

export const suggestionStyles = css`
  [role='listbox'] {
    max-block-size: 16rem;
    margin-block: 4px 6px;
    overflow: auto;
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 0.75);
    background: var(--_surface);
  }
  [role='option'] {
    padding: 5px 8px;
    cursor: pointer;
  }
  [role='option'][aria-selected='true'] {
    background: var(--_raised);
    outline: 1px solid var(--_accent);
    outline-offset: -1px;
  }
`
