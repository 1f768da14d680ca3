/** Run after installing: makes the store that first starts are copied from. */
import { makeTemplate } from '#platform/db/template.ts'

process.stdout.write(`template: ${await makeTemplate()}\n`)
