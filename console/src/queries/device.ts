/** Mutations about a command line that asks to be signed in. */
import { mutationOptions } from '@tanstack/react-query'
import { consoleCalls } from '../session/session.ts'

/** Finds what asks with a code; null if nobody does, or the signed-in person cannot answer. */
export const findMachine = mutationOptions({
  mutationFn: async (userCode: string) => (await consoleCalls.askingMachine(userCode)) ?? null,
  gcTime: 0,
})

interface Answer {
  userCode: string
  answer: 'approve' | 'deny'
}

/** Returns false if somebody else has answered, or the code has expired. */
export const answerMachine = mutationOptions({
  mutationFn: ({ userCode, answer }: Answer) => consoleCalls.answerMachine(userCode, answer),
  meta: { invalidates: [['workspace', 'sessions']] },
  gcTime: 0,
})
