/** The default look, without its fonts: those of the system need no download. */
export { default } from 'vitepress/theme-without-fonts'
