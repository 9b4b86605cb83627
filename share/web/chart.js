// Bars of the last refreshes, oldest first: a small one in a card's head, two with scales in its
// details.

import {svg} from './dom.js'
import {count, counted, duration, exact} from './format.js'

const GAP = 2

const measures = {
    seconds: {title: 'Duration', of: refresh => refresh.seconds ?? 0, text: duration},
    rows: {title: 'Rows read', of: refresh => refresh.rows_read ?? 0, text: count}
}

function bar(refresh, index, shape, measure, largest) {
    const value = measure.of(refresh)
    // A refresh that took nothing is there to be seen all the same.
    const height = Math.max(2, largest > 0 ? (value / largest) * shape.height : 0)
    return svg('rect', {
        class: `bar ${refresh.error ? 'error' : (refresh.action ?? 'none')}`,
        x: index * shape.step, y: shape.height - height, width: shape.step - GAP, height, rx: 1
    }, svg('title', {}, `${exact(refresh.started)}: ${refresh.action}, ${measure.text(value)}`))
}

function bars(history, shape, measure) {
    const values = history.map(measure.of)
    const largest = Math.max(...values)
    const oldestFirst = [...history].reverse()
    return svg('svg', {
        class: shape.class, role: 'img', width: shape.step * shape.slots, height: shape.height,
        viewBox: `0 0 ${shape.step * shape.slots} ${shape.height}`,
        'aria-label': `${measure.title} of the last ${counted(history.length, 'refresh', 'refreshes')}: ` +
            `newest ${measure.text(values[0])}, largest ${measure.text(largest)}`
    }, oldestFirst.map((refresh, index) => {
        const slot = shape.slots - oldestFirst.length + index
        return bar(refresh, slot, shape, measure, largest)
    }))
}

export function sparkline(history) {
    return bars(history.slice(0, 20), {class: 'spark', slots: 20, step: 5, height: 26}, measures.seconds)
}

export function chart(history, name) {
    return bars(history, {class: 'chart', slots: 20, step: 14, height: 56}, measures[name])
}

export function largestOf(history, name) {
    return measures[name].text(Math.max(...history.map(measures[name].of)))
}
