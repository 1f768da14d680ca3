/** Runs something long that reports its progress and can be cancelled, and asks before the page is left meanwhile. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { queryKeyOf } from '../../queries/keys/keys.ts'
import { useKey } from '../../session/use-session.ts'
import type { Run } from './runs.ts'

/** The progress is shown again after this many milliseconds. */
const SHOWN_EVERY_MS = 200

/** The run was cancelled; what was done until then stays. */
export class Cancelled extends Error {}

interface RunOptions {
  /** It changes data of the API key. */
  writes?: boolean
}

export function useRun<Input, Progress, Result>(
  work: (input: Input, run: Run<Progress>) => Promise<Result>,
  { writes = false }: RunOptions = {},
) {
  const key = useKey()
  const queries = useQueryClient()
  const running = useRef<AbortController>(undefined)
  const [progress, setProgress] = useState<Progress>()
  useEffect(() => () => running.current?.abort(), [])
  const mutation = useMutation({
    mutationFn: async (input: Input) => {
      const controller = new AbortController()
      running.current = controller
      setProgress(undefined)
      let shownAt = 0
      const onProgress = (soFar: Progress) => {
        if (performance.now() - shownAt < SHOWN_EVERY_MS) return
        shownAt = performance.now()
        setProgress(soFar)
      }
      try {
        return await work(input, { signal: controller.signal, onProgress })
      } catch (error) {
        throw controller.signal.aborted ? new Cancelled('Cancelled.') : error
      } finally {
        if (writes) void queries.invalidateQueries({ queryKey: queryKeyOf(key) })
      }
    },
  })
  const { isPending } = mutation
  useEffect(() => {
    if (!isPending || !writes) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isPending, writes])
  return { ...mutation, progress, cancel: () => running.current?.abort() }
}
