// Tables whose rows are lists that grow: a region that scrolls, and can be reached by the keyboard.

import {el} from './dom.js'

// headings: [text, whether it is of numbers] each; rows go into `body`.
export function table(caption, headings) {
    const body = el('tbody')
    const head = el(
        'tr',
        {},
        headings.map(([text, number]) =>
            el('th', {scope: 'col', class: number ? 'number' : null}, text)
        )
    )
    const element = el(
        'div',
        {class: 'scroller', role: 'region', 'aria-label': caption, tabindex: 0},
        el('table', {}, el('caption', {class: 'unseen'}, caption), el('thead', {}, head), body)
    )
    return {element, body}
}

// The parts of KeyedElements for rows that never change: a row is made anew when what it shows does.
export function still(element) {
    return {element, update() {}}
}

export function keyOf(value) {
    return JSON.stringify(value)
}
