/** The theme: one accent colour, system fonts, and colours with WCAG 2.2 AA contrast in light and dark. */
import { type CSSVariablesResolver, createTheme, Drawer, Menu, Modal, Notification } from '@mantine/core'
import classes from './theme.module.css'

/** Shared by dialogs. */
const CLOSE = { closeButtonProps: { 'aria-label': 'Close' } }
const TITLE = { title: { fontWeight: 650, lineHeight: 1.35, overflowWrap: 'anywhere' as const } }

/** The list itself scrolls, as keyboard navigation expects. Set by name, so that the components load with their views. */
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
    // The focus goes to the first item; the placeholder for it is not a valid child of a menu.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({ defaultProps: CLOSE, styles: TITLE }),
    Drawer: Drawer.extend({ defaultProps: CLOSE, styles: TITLE }),
    ...{ Select: list, MultiSelect: list, Autocomplete: list, TagsInput: list },
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close message' } } }),
  },
  // No animations for users who asked their system for reduced motion.
  respectReducedMotion: true,
})

/** Replaces library colours with too little contrast. */
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
