/**
 * Counts distinct texts in at most 640 bytes, without keeping them. Up to 159 are counted exactly, by their hashes of 32 bits;
 * more are estimated by HyperLogLog with 1,024 registers, whose standard error is 3.25 %. Sketches of parts merge into the sketch of the
 * whole, in any order.
 *
 * A register remembers how unlikely the rarest of its hashes was. The first 10 bits of a hash choose the register, and the rank
 * is the position of the first 1 in the other 22: with `0000000011 0001…`, register 3 becomes at least 4. Half of all hashes have
 * rank 1, a quarter rank 2, so a register at 4 has probably seen about 2⁴ different texts, and their mean over all registers
 * estimates the whole. A repeated text has the same hash and changes nothing.
 */
const REGISTERS = 1_024
const INDEX_BITS = 10
/** The leading zeros of 22 bits, and one: at most 23, which 5 bits hold. */
const RANK_BITS = 5
const PACKED_BYTES = (REGISTERS * RANK_BITS) / 8
/** One less than the number that would take as many bytes as the registers, so that the length of a sketch tells its form. */
const EXACT_MAX = PACKED_BYTES / 4 - 1

const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS)
const HASHES = 2 ** 32

export class DistinctSketch {
  /** The hashes; undefined once there are too many. */
  #exact: Set<number> | undefined = new Set()
  #registers: Uint8Array | undefined

  /** Reads the bytes that `bytes` returned; null is an empty sketch. */
  static from(bytes: Uint8Array | null): DistinctSketch {
    const sketch = new DistinctSketch()
    if (bytes === null) return sketch
    if (bytes.length === PACKED_BYTES) {
      sketch.#exact = undefined
      sketch.#registers = unpacked(bytes)
    } else {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (let at = 0; at + 4 <= bytes.length; at += 4) sketch.#exact?.add(view.getUint32(at))
    }
    return sketch
  }

  /** Returns whether the text changed the sketch. */
  add = (text: string): boolean => this.#add(hashOf(text))

  /** Returns whether the other sketch changed this one. */
  merge(other: DistinctSketch): boolean {
    let isChanged = false
    if (other.#exact !== undefined) for (const hash of other.#exact) isChanged = this.#add(hash) || isChanged
    if (other.#registers === undefined) return isChanged
    const registers = this.#estimating()
    for (const [index, rank] of other.#registers.entries()) isChanged = raise(registers, index, rank) || isChanged
    return isChanged
  }

  count(): number {
    return this.#registers === undefined ? (this.#exact?.size ?? 0) : estimated(this.#registers)
  }

  /** Returns the sketch to be stored; the same texts give the same bytes. */
  bytes(): Uint8Array {
    if (this.#registers !== undefined) return packed(this.#registers)
    const hashes = [...(this.#exact ?? [])].sort((one, other) => one - other)
    const bytes = new Uint8Array(hashes.length * 4)
    const view = new DataView(bytes.buffer)
    for (const [at, hash] of hashes.entries()) view.setUint32(at * 4, hash)
    return bytes
  }

  #add(hash: number): boolean {
    const exact = this.#exact
    if (exact === undefined) return raise(this.#estimating(), hash >>> (32 - INDEX_BITS), rankOf(hash))
    if (exact.has(hash)) return false
    exact.add(hash)
    if (exact.size > EXACT_MAX) this.#estimating()
    return true
  }

  /** Returns the registers; from now on they hold the sketch. */
  #estimating(): Uint8Array {
    if (this.#registers !== undefined) return this.#registers
    const registers = new Uint8Array(REGISTERS)
    this.#registers = registers
    for (const hash of this.#exact ?? []) raise(registers, hash >>> (32 - INDEX_BITS), rankOf(hash))
    this.#exact = undefined
    return registers
  }
}

/** FNV-1a over the UTF-16 code units, mixed as the end of MurmurHash3 does, because FNV alone leaves the first bits alike. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const rankOf = (hash: number): number => Math.min(Math.clz32(hash << INDEX_BITS), 32 - INDEX_BITS) + 1

function raise(registers: Uint8Array, index: number, rank: number): boolean {
  if ((registers[index] ?? 0) >= rank) return false
  registers[index] = rank
  return true
}

function estimated(registers: Uint8Array): number {
  let sum = 0
  let zeros = 0
  for (const rank of registers) {
    sum += 2 ** -rank
    if (rank === 0) zeros++
  }
  const raw = (ALPHA * REGISTERS ** 2) / sum
  if (raw <= 2.5 * REGISTERS && zeros > 0) return Math.round(REGISTERS * Math.log(REGISTERS / zeros))
  // Different texts with the same hash: of 32 bits, they count from some millions on.
  return Math.round(raw <= HASHES / 30 ? raw : -HASHES * Math.log(1 - Math.min(raw / HASHES, 0.999)))
}

function packed(registers: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(PACKED_BYTES)
  for (const [index, rank] of registers.entries()) {
    const bit = index * RANK_BITS
    const shifted = rank << (16 - RANK_BITS - (bit % 8))
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (shifted >> 8)
    if ((shifted & 0xff) !== 0) bytes[(bit >> 3) + 1] = (bytes[(bit >> 3) + 1] ?? 0) | (shifted & 0xff)
  }
  return bytes
}

const unpacked = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from({ length: REGISTERS }, (_, index) => {
    const bit = index * RANK_BITS
    const both = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0)
    return (both >> (16 - RANK_BITS - (bit % 8))) & 0x1f
  })
