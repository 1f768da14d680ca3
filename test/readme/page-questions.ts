/** Finds commands in pages that would ask a question at a terminal, where the rest of a pasted block would answer it. */
import type { Block } from '#testing/pages/blocks.ts'
import { OPERATION_COMMANDS } from '../../cli/program.ts'

/** For the names of commands that ask, the options that answer. */
const ANSWERS = new Map(
  OPERATION_COMMANDS.flatMap(({ name, parameters = [], confirm }) => {
    const asked = parameters.flatMap(({ flags, ask }) => (ask === undefined ? [] : [/--[\w-]+/.exec(flags)?.[0] ?? '']))
    const answers = confirm === undefined ? asked : [...asked, '--yes']
    return answers.length === 0 ? [] : [[name, answers] as const]
  }),
)

const COMMAND = /\bcommonhold ((?:\\\n|[^\n|&;])*)/g

/** Returns the commands of a block that ask, each with the option that is missing. */
export const questionsIn = ({ content }: Block): string[] =>
  [...content.matchAll(COMMAND)].flatMap(([, words = '']) => {
    const name = [...ANSWERS.keys()].find((known) => words.startsWith(`${known} `))
    const missing = ANSWERS.get(name ?? '')?.filter((option) => !words.includes(option)) ?? []
    return missing.map((option) => `commonhold ${name} asks at a terminal: add ${option}`)
  })
