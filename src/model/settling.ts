/**
 * Milliseconds between the decision to send a call and the last moment at which it may leave. Whoever finds its announcement
 * counts on it: a call that had to wait longer, for a connection or because its process slept, is not sent.
 */
export const leavesWithin = 2000;

/** Milliseconds after its announcement within which a call may be sent that is announced before its turn. */
export const announcementTime = 6000;

/** The longest that any announcement may say. */
export const maxAnnouncementTime = 60_000;

/**
 * Milliseconds by which the clocks of two machines that share a state may differ: a call that was announced less than this ago
 * may have been announced just now.
 */
export const maxClockSkew = 5 * 60_000;
