/** The look: one accent colour, the system's font, colours whose contrast is that of WCAG 2.2 AA in light and dark. */
import { type CSSVariablesResolver, createTheme, Drawer, Menu, Modal, Notification } from '@mantine/core'
import classes from './theme.module.css'

/** Of dialogs. */
const CLOSE = { closeButtonProps: { 'aria-label': 'Close' } }
const TITLE = { title: { fontWeight: 650, lineHeight: 1.35, overflowWrap: 'anywhere' as const } }

/** The list scrolls itself, as browsers expect of a list that is gone through with the keyboard; named here, loaded with the views that have one. */
const list = { defaultProps: { withScrollArea: false }, classNames: { options: classes.options } }

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "Roboto Mono", Menlo, monospace',
  headings: { fontWeight: '650' },
  components: {
    // A menu that opens has the focus on its first item; what would hold it before is no part that a menu may have.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({ defaultProps: CLOSE, styles: TITLE }),
    Drawer: Drawer.extend({ defaultProps: CLOSE, styles: TITLE }),
    ...{ Select: list, MultiSelect: list, Autocomplete: list, TagsInput: list },
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close the message' } } }),
  },
  // Who asked the system for less motion gets none of the components either.
  respectReducedMotion: true,
})

/** Where the colours of the components are too pale to be read by everybody. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#565e66',
    '--mantine-color-placeholder': '#6a727a',
    '--mantine-color-error': '#b42318',
    '--mantine-color-anchor': '#364fc7',
    '--mantine-color-indigo-light-color': '#2b3a94',
    '--mantine-color-indigo-light': '#e6ebff',
    '--mantine-color-indigo-light-hover': '#d9e1ff',
    '--mantine-color-body': '#ffffff',
  },
  dark: {
    '--mantine-color-dimmed': '#a9aeb4',
    '--mantine-color-placeholder': '#9aa0a6',
    '--mantine-color-error': '#ff9d94',
    '--mantine-color-anchor': '#a5b8ff',
    '--mantine-color-indigo-light-color': '#c9d4ff',
    '--mantine-color-indigo-light': '#252d4a',
    '--mantine-color-indigo-light-hover': '#2c365a',
    '--mantine-color-body': '#16181c',
  },
})
