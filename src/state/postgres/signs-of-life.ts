/** Gives signs of life until the answer is called, or one is of no use any more. They do not keep the process alive. */
export function startHeartbeats(every: number, give: () => Promise<{ readonly ok: boolean }>): () => void {
  let underWay = false;
  const timer = setInterval(async () => {
    if (underWay) return;
    underWay = true;
    if (!(await give()).ok) clearInterval(timer);
    underWay = false;
  }, every);
  timer.unref();
  return () => clearInterval(timer);
}
