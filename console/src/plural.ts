/** Returns a count with its noun: “1 user”, “1,204 users”. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
