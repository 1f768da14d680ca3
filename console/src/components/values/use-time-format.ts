/** Redraws a component when the user chooses another format of times. */
import { useSyncExternalStore } from 'react'
import { onTimeFormat, type TimeFormat, timeFormat } from './times.ts'

export const useTimeFormat = (): TimeFormat => useSyncExternalStore(onTimeFormat, timeFormat)
