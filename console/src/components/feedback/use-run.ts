/** Runs something long that reports its progress and can be cancelled. It ends when its view is left. */
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'

/** The progress is shown again after this many milliseconds. */
const SHOWN_EVERY_MS = 200

export interface Run<Progress> {
  signal: AbortSignal
  onProgress: (soFar: Progress) => void
}

class Cancelled extends Error {}

export function useRun<Input, Progress, Result>(work: (input: Input, run: Run<Progress>) => Promise<Result>) {
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
      }
    },
  })
  const isCancelled = mutation.error instanceof Cancelled
  return {
    ...mutation,
    error: isCancelled ? null : mutation.error,
    /** Changes made until then remain. */
    isCancelled,
    progress,
    cancel: () => running.current?.abort(),
  }
}
