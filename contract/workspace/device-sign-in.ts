/** The messages between server and command line when it signs in with a device code (RFC 8628, ADR 0047). */

export interface DeviceRequest {
  /** The name by which the approving person recognizes the machine. */
  machine: string
  /** If given, only operators of this workspace can approve. */
  workspaceId?: string | undefined
}

/** The response to a machine that asks to be signed in. */
export interface DeviceCodes {
  /** The secret of this machine. */
  deviceCode: string
  /** The code that the person enters in the console. */
  userCode: string
  verificationUrl: string
  expiresInSeconds: number
  intervalSeconds: number
}

/** The response to a poll; the words are from RFC 8628. */
export type DevicePoll =
  | { state: 'authorization_pending' | 'slow_down'; intervalSeconds: number }
  | { state: 'access_denied' | 'expired_token' }
  | ({ state: 'approved'; session: string } & CommandLineSession)

/** The person who is signed in on a command line. Times are in milliseconds. */
export interface CommandLineSession {
  workspaceId: string
  workspaceName: string
  operator: { id: string; name: string; email: string; role: string }
  machine: string
  /** When the session ends if it is used no more, and when at the latest. */
  endsAt: number
  expiresAt: number
}
