/** Reads the events of a response, pings included. */
import { APIError } from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';

/**
 * The events as they came. The SDK's own iterator hides pings, which are all that a provider sends while it
 * thinks in silence: whoever waits for the next event must see them.
 *
 * @throws APIError for an error that the stream reports, SyntaxError for an event that is no JSON
 */
export async function* serverEvents(response: Response): AsyncGenerator<unknown, void, undefined> {
  for await (const { event, data } of Stream.rawEvents(response)) {
    if (event === 'error') throw new APIError(undefined, asJson(data), data, response.headers);
    // Gateways that serve several APIs end every stream as another one ends.
    if (data === '' || data === '[DONE]') continue;
    yield JSON.parse(data);
  }
}

/** Some gateways report errors in plain words. */
function asJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
