/** The look of the console comes from one place: `tokens.css` and the theme name its colours, greys and weights of type. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, it } from 'vitest'
import { files, read } from './sources.ts'

const THEME = 'console/src/theme.ts'
const TOKENS = 'console/src/tokens.css'
const STYLES = files('console/src/**/*.css').filter((file) => file !== TOKENS)
const PROGRAMS = files('console/src/**/*.{ts,tsx}').filter((file) => file !== THEME)

/** Returns the matches in each file, with the name of the file. */
const found = (sources: readonly string[], pattern: RegExp): string[] =>
  sources.flatMap((file) => [...read(file).matchAll(pattern)].map(([match]) => `${file}: ${match}`))

const WEIGHT = /font-weight:(?!\s*(?:inherit|var\(--mantine-font-weight-(?:regular|medium|bold)\));)[^;]*/g
const WEIGHT_IN_CODE = /\bfw(?:=\{[^}]*\}|="[^"]*"|: \S+)|\bfontWeight\b.*/g
const COLOUR = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\([^)]*\)/gi

describe('the look of the console', () => {
  it('has three weights of type, by name in style sheets', () => {
    assert.ok(STYLES.length > 20)
    assert.deepEqual(found(STYLES, WEIGHT), [])
    const inCode = found(PROGRAMS, WEIGHT_IN_CODE)
    assert.ok(inCode.length > 10)
    assert.deepEqual(
      inCode.filter(
        (use) => !/(?:400|500|600)/.test(use) || /fontWeight|="/.test(use) || /[^.\d](?!400|500|600)\d{3}/.test(use),
      ),
      [],
    )
    const [, weights = ''] = /WEIGHTS = (\{.*\})/.exec(read(THEME)) ?? []
    assert.deepEqual(weights.match(/\d+/g), ['400', '500', '600'])
  })

  it('names every colour in the tokens or in the theme', () => {
    assert.deepEqual(found(STYLES, COLOUR), [])
    // A message about a profile's colour shows an example.
    const shown = PROGRAMS.filter((file) => !/profile-f/.test(path.basename(file)))
    assert.deepEqual(found(shown, /['"]#[0-9a-f]{3,8}['"]/gi), [])
  })

  it('writes numbers in the language of its words, not in that of the browser', () => {
    assert.deepEqual(found(PROGRAMS, /.*\.toLocaleString\(\).*/g), [])
    assert.ok(found(PROGRAMS, /\.toLocaleString\('en'\)/g).length > 20)
  })

  it('has one grey: every shade has the same hue', () => {
    const shades = [...read(THEME).matchAll(/(?:DARK|GRAY) = \[([^\]]+)\]/g)].flatMap(
      ([, list = '']) => list.match(/#[0-9a-f]{6}/g) ?? [],
    )
    assert.equal(shades.length, 20)
    // Blue is the only channel that differs, so the hue is 240° in all of them.
    assert.deepEqual(
      shades.filter((shade) => shade.slice(1, 3) !== shade.slice(3, 5) || shade.slice(5) <= shade.slice(3, 5)),
      [],
    )
  })

  it('uses only existing tokens, and all of them', () => {
    const defined = [...read(TOKENS).matchAll(/^ {2}(--[\w-]+):/gm)].map(([, name]) => name ?? '')
    const used = [...STYLES, ...PROGRAMS, TOKENS].flatMap((file) =>
      [...read(file).matchAll(/var\((--(?!mantine-|app-shell-)[\w-]+)/g)].map(([, name]) => name ?? ''),
    )
    assert.deepEqual([...new Set(used)].sort(), defined.toSorted())
  })
})
