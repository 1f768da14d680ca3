/** How the console is built: hashed files under `/console/assets/`, one chunk for each view, no inline script. */
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const SHARED =
  /node_modules\/(?!@mantine\/form|klona|fast-deep-equal|react-number-format|@mantine\/core\/esm\/components\/NumberInput).*\.m?js$/

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  // The server puts the nonce of each answer in its place.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: 'dist',
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    emptyOutDir: true,
    target: 'es2023',
    // Those that know `light-dark()`: what is written for older ones would follow the system instead of the switch.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    // The authors of the packages require that copies have their licences.
    license: { fileName: 'licenses.json' },
    // The packages that several views use are one chunk: fewer requests. Our own modules are not in it, because their styles must
    // come after those of the components; nor is what only forms need, because the page is shown without it.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'shared', test: SHARED, minShareCount: 2 }] } },
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_500,
  },
})
