/** The current day, which changes at midnight while a page stays open. */
import { useEffect, useState } from 'react'
import { startOfDay } from './days.ts'

/** A laptop that slept finds out within this time. */
const CHECK_MS = 60_000

/** Returns when today began, in milliseconds. */
export function useToday(): number {
  const [today, setToday] = useState(() => startOfDay(Date.now()))
  useEffect(() => {
    const timer = setInterval(() => setToday(startOfDay(Date.now())), CHECK_MS)
    return () => clearInterval(timer)
  }, [])
  return today
}
