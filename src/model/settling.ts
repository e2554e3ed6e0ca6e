/** Milliseconds after a call during which the service's reads may not show its effect yet. */
export const settlingTime = 5000;
