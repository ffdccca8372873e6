package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"time"
)

// gather listens on a port of its own, which it answers, and hands on to the server what comes within a pause of each other, as one record of TLS.
//
// h2spec writes frame by frame. A server may answer a request before all of it has come, and must then ignore the rest: what h2spec would be told
// of the frames behind the first was up to chance. It also takes a reset of TCP for a fault, where the server may close; here it sees a close.
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

// certificates are those that Go has for tests.
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
		// However the server ends, and whatever h2spec still writes, it reads to an orderly end.
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
		// A server that is gone takes nothing more; what h2spec writes is read all the same.
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
