/**
 * How the site of the pages is built: under `/docs/` of each server, with a search that asks no server. Code has no colours, which
 * would be inline styles, so that the policy of the server can forbid them.
 */
import path from 'node:path'
import { defineConfig } from 'vitepress'
import { navigation } from '../../scripts/site/navigation.ts'
import { DIST, PAGES_FOLDER } from '../../scripts/site/pages.ts'

const escaped = (code: string): string => code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export default defineConfig({
  title: 'Commonhold',
  description: 'The open, self-hosted management back-end for collaborative apps.',
  base: '/docs/',
  srcDir: PAGES_FOLDER,
  outDir: DIST,
  cacheDir: path.join(DIST, '../cache'),
  cleanUrls: true,
  metaChunk: true,
  // With it, the theme would insert a style.
  appearance: { disableTransition: false },
  markdown: { highlight: (code) => `<pre><code>${escaped(code)}</code></pre>` },
  vue: {
    // The pages show code with `{{ }}`, which is no template.
    template: { compilerOptions: { delimiters: ['\uE000', '\uE001'] } },
    // By default the path of the checkout is part of it, so a release from another folder would have other bytes.
    features: { componentIdGenerator: (file, source, _isProduction, getHash) => getHash(path.basename(file) + source) },
  },
  // The authors of the packages require that copies have their licences.
  vite: { build: { chunkSizeWarningLimit: 4_000, license: { fileName: 'licenses.json' } } },
  themeConfig: {
    ...navigation(),
    search: { provider: 'local' },
    outline: [2, 3],
    footer: {
      message: 'Every field of every call: <a href="/reference" target="_self">the reference of this server</a>',
    },
  },
})
