/** Lambda handler of the canvas-agent: draws what an agent was asked for. */
export async function handler(event: { shapes: string[] }) {
  return { status: 200, body: event.shapes.join(" ") };
}
