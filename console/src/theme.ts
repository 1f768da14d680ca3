/** The theme: one accent colour, one grey, three weights of type, and colours with WCAG 2.2 AA contrast in light and dark. */
import {
  Badge,
  Button,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  Input,
  Menu,
  Modal,
  Notification,
} from '@mantine/core'
import { CuedScroll } from './components/page/cued-scroll.tsx'

/** The weights of type; there are no others. */
const WEIGHTS = { regular: '400', medium: '500', bold: '600' }
const BOLD = { fontWeight: 'var(--mantine-font-weight-bold)' }
const MEDIUM = { fontWeight: 'var(--mantine-font-weight-medium)' }

/** Shared by dialogs. */
const CLOSE = { closeButtonProps: { 'aria-label': 'Close' } }
const TITLE = { title: { ...BOLD, lineHeight: 1.35, overflowWrap: 'anywhere' as const } }

/** The greys of dark mode, from text to the darkest surface: one hue, so that no surface looks tinted beside another. */
const DARK = [
  '#e9e9ed',
  '#c8c8ce',
  '#a5a5ad',
  '#7a7a83',
  '#3d3d44',
  '#303036',
  '#232328',
  '#18181b',
  '#121215',
  '#0b0b0d',
] as const

/** The greys of light mode, of the same hue. */
const GRAY = [
  '#f8f8fa',
  '#f1f1f4',
  '#e8e8ec',
  '#dcdce2',
  '#c9c9d1',
  '#a1a1ab',
  '#74747f',
  '#52525b',
  '#38383f',
  '#232328',
] as const

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  black: DARK[7],
  colors: { dark: DARK, gray: GRAY },
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "Roboto Mono", Menlo, monospace',
  fontWeights: WEIGHTS,
  headings: { fontWeight: WEIGHTS.bold },
  components: {
    // In a line of text, and beside other badges, all stand on the middle of the line.
    Badge: Badge.extend({
      styles: { root: { ...MEDIUM, verticalAlign: 'middle' }, label: { display: 'flex', alignItems: 'center' } },
    }),
    // A label with a long name in it does not make the page scroll sideways.
    Button: Button.extend({ styles: { root: { maxWidth: '100%' }, inner: { minWidth: 0 } } }),
    // A name that is longer than its field ends in dots.
    Input: Input.extend({ styles: { input: { textOverflow: 'ellipsis' } } }),
    // The focus goes to the first item; the placeholder for it is not a valid child of a menu.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({ defaultProps: { ...CLOSE, scrollAreaComponent: CuedScroll }, styles: TITLE }),
    Drawer: Drawer.extend({ defaultProps: CLOSE, styles: TITLE }),
    // A header beside the header of the page would be a second banner.
    ...{ ModalHeader: { defaultProps: { component: 'div' } }, DrawerHeader: { defaultProps: { component: 'div' } } },
    // Set by name, so that the components load with their views. Browsers give fieldsets a margin.
    ...{ Stepper: { styles: { stepIcon: BOLD } }, Fieldset: { styles: { root: { marginInline: 0 } } } },
    // A bar at 0 % shows where it begins.
    ...{ Progress: { styles: { section: { minWidth: 8 } } } },
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close message' } } }),
  },
  // No animations for users who asked their system for reduced motion.
  respectReducedMotion: true,
})

/** Replaces library colours with too little contrast. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': GRAY[7],
    '--mantine-color-placeholder': '#6b6b75',
    '--mantine-color-error': '#b42318',
    '--mantine-color-anchor': '#364fc7',
    '--mantine-color-indigo-light-color': '#2b3a94',
    '--mantine-color-indigo-light': '#e6ebff',
    '--mantine-color-indigo-light-hover': '#d9e1ff',
  },
  dark: {
    '--mantine-color-dimmed': DARK[2],
    '--mantine-color-gray-light': DARK[6],
    '--mantine-color-gray-light-hover': DARK[5],
    '--mantine-color-placeholder': '#9797a0',
    '--mantine-color-error': '#ff9d94',
    '--mantine-color-anchor': '#a5b8ff',
    '--mantine-color-indigo-light-color': '#c9d4ff',
    '--mantine-color-indigo-light': '#252d4a',
    '--mantine-color-indigo-light-hover': '#2c365a',
  },
})
