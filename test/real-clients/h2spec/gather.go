package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"time"
)

// gather listens on a port of its own, which it returns. It forwards everything that arrives without a longer pause to
// the server as one TLS record.
//
// h2spec writes frame by frame. A server may respond to a request before all of it has arrived and must then ignore the
// rest, so the response to later frames would depend on timing. h2spec also treats a TCP reset as a failure where the
// server may close the connection; behind this proxy it sees a close.
func gather(server string, pause time.Duration) (int, error) {
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certificates(), NextProtos: []string{"h2"}})
	if err != nil {
		return 0, err
	}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go relay(client.(*tls.Conn), server, pause)
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// certificates returns those that Go provides for tests.
func certificates() []tls.Certificate {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	return server.TLS.Certificates
}

func relay(client *tls.Conn, address string, pause time.Duration) {
	defer client.Close()
	// Without DynamicRecordSizingDisabled the first records are as small as a packet.
	config := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}, DynamicRecordSizingDisabled: true}
	server, err := tls.Dial("tcp", address, config)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	go func() {
		// h2spec reads an orderly end, however the server closes and whatever h2spec still writes.
		_, _ = io.Copy(client, server)
		_ = client.CloseWrite()
	}()

	chunks := make(chan []byte)
	go read(client, chunks)
	for batch := range chunks {
		for more := true; more; {
			select {
			case chunk, open := <-chunks:
				batch = append(batch, chunk...)
				more = open
			case <-time.After(pause):
				more = false
			}
		}
		// After the server has closed, keep reading what h2spec writes.
		_, _ = server.Write(batch)
	}
}

func read(from io.Reader, chunks chan<- []byte) {
	defer close(chunks)
	for {
		chunk := make([]byte, 1<<16)
		count, err := from.Read(chunk)
		if count > 0 {
			chunks <- chunk[:count]
		}
		if err != nil {
			return
		}
	}
}
