// Types for scripts/console-test/types, which checks the pages and builds nothing.

declare module "*/preact-htm.js" {
  export function html(strings: TemplateStringsArray, ...values: any[]): any;
  export function render(vnode: any, parent: Element): void;
  export function h(type: any, props?: any, ...children: any[]): any;
  export function createContext<T>(value: T): any;
  export class Component {}
  export function useState<T>(initial: T | (() => T)): [T, (next: any) => void];
  export function useRef<T>(initial: T): { current: T };
  export function useMemo<T>(make: () => T, inputs: any[]): T;
  export function useCallback<T>(callback: T, inputs: any[]): T;
  export function useEffect(effect: () => void | (() => void), inputs?: any[]): void;
  export function useLayoutEffect(effect: () => void | (() => void), inputs?: any[]): void;
  export function useErrorBoundary(callback?: (error: any) => void): [any, () => void];
}

// Newer than the compiler's library.
interface HTMLElement {
  popover: string | null;
  showPopover(): void;
  hidePopover(): void;
}
